-- AlterTable
ALTER TABLE "CodingRun" ADD COLUMN     "scheduleId" UUID,
ADD COLUMN     "scheduledFor" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "Schedule" (
    "id" UUID NOT NULL,
    "userId" UUID NOT NULL,
    "agentId" UUID NOT NULL,
    "via" TEXT NOT NULL,
    "viaId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "cron" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "missed" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "disabledBecause" TEXT,
    "provider" TEXT,
    "prompt" TEXT NOT NULL,
    "cwd" TEXT,
    "model" TEXT,
    "timeoutSeconds" INTEGER,
    "maxTurns" INTEGER,
    "maxBudgetUsd" DOUBLE PRECISION,
    "nextAt" TIMESTAMPTZ(3),
    "laterAt" TIMESTAMPTZ(3)[],
    "lastRunId" UUID,
    "skippedAt" TIMESTAMPTZ(3),
    "skippedBecause" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Schedule_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Schedule_userId_idx" ON "Schedule"("userId");

-- CreateIndex
CREATE INDEX "Schedule_agentId_idx" ON "Schedule"("agentId");

-- CreateIndex
CREATE INDEX "Schedule_nextAt_idx" ON "Schedule"("nextAt");

-- CreateIndex
CREATE UNIQUE INDEX "CodingRun_scheduleId_scheduledFor_key" ON "CodingRun"("scheduleId", "scheduledFor");

-- AddForeignKey
ALTER TABLE "CodingRun" ADD CONSTRAINT "CodingRun_scheduleId_fkey" FOREIGN KEY ("scheduleId") REFERENCES "Schedule"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Schedule" ADD CONSTRAINT "Schedule_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Schedule" ADD CONSTRAINT "Schedule_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;
