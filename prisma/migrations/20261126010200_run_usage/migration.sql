-- AlterTable
ALTER TABLE "CodingRun" ADD COLUMN     "costEstimated" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "maxBudgetUsd" DOUBLE PRECISION,
ADD COLUMN     "maxTurns" INTEGER,
ADD COLUMN     "totals" JSONB;

-- CreateTable
CREATE TABLE "RunUsage" (
    "runId" UUID NOT NULL,
    "model" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "agentId" UUID,
    "agentName" TEXT NOT NULL,
    "userId" UUID,
    "inputTokens" BIGINT,
    "outputTokens" BIGINT,
    "cacheReadTokens" BIGINT,
    "cacheWriteTokens" BIGINT,
    "costUsd" DOUBLE PRECISION,
    "estimated" BOOLEAN NOT NULL,
    "endedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "RunUsage_pkey" PRIMARY KEY ("runId","model")
);

-- CreateTable
CREATE TABLE "Budget" (
    "owner" TEXT NOT NULL,
    "userId" UUID,
    "limitUsd" DOUBLE PRECISION NOT NULL,
    "setAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Budget_pkey" PRIMARY KEY ("owner")
);

-- CreateIndex
CREATE INDEX "RunUsage_userId_endedAt_idx" ON "RunUsage"("userId", "endedAt");

-- CreateIndex
CREATE INDEX "RunUsage_agentId_endedAt_idx" ON "RunUsage"("agentId", "endedAt");

-- CreateIndex
CREATE INDEX "RunUsage_endedAt_idx" ON "RunUsage"("endedAt");

-- CreateIndex
CREATE UNIQUE INDEX "Budget_userId_key" ON "Budget"("userId");

-- AddForeignKey
ALTER TABLE "RunUsage" ADD CONSTRAINT "RunUsage_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "RunUsage" ADD CONSTRAINT "RunUsage_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Budget" ADD CONSTRAINT "Budget_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A budget has exactly one owner, also for a client that writes to the database itself.
ALTER TABLE "Budget" ADD CONSTRAINT "Budget_owner_check" CHECK ("owner" = CASE
    WHEN "userId" IS NULL THEN 'platform'
    ELSE 'user:' || "userId"::text
END);
