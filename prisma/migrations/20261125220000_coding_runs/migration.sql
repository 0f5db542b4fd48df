-- CreateTable
CREATE TABLE "CodingRun" (
    "id" UUID NOT NULL,
    "agentId" UUID,
    "agentName" TEXT NOT NULL,
    "userId" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "prompt" TEXT NOT NULL,
    "cwd" TEXT NOT NULL,
    "model" TEXT,
    "timeoutSeconds" INTEGER NOT NULL,
    "personal" BOOLEAN NOT NULL DEFAULT true,
    "resumed" TEXT,
    "cliSessionId" TEXT,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "error" TEXT,
    "exitCode" INTEGER,
    "result" TEXT,
    "costUsd" DOUBLE PRECISION,
    "lastSeq" INTEGER NOT NULL DEFAULT 0,
    "generation" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "endedAt" TIMESTAMPTZ(3),

    CONSTRAINT "CodingRun_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "CodingRun_userId_createdAt_idx" ON "CodingRun"("userId", "createdAt");

-- CreateIndex
CREATE INDEX "CodingRun_agentId_createdAt_idx" ON "CodingRun"("agentId", "createdAt");

-- CreateIndex
CREATE INDEX "CodingRun_state_idx" ON "CodingRun"("state");

-- AddForeignKey
ALTER TABLE "CodingRun" ADD CONSTRAINT "CodingRun_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "CodingRun" ADD CONSTRAINT "CodingRun_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

