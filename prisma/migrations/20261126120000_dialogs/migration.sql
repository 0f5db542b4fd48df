-- AlterTable
ALTER TABLE "CodingRun" ADD COLUMN     "askedMs" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "asksSince" TIMESTAMPTZ(3),
ADD COLUMN     "policy" TEXT;

-- CreateTable
CREATE TABLE "Dialog" (
    "id" UUID NOT NULL,
    "agentId" UUID,
    "agentName" TEXT NOT NULL,
    "userId" UUID NOT NULL,
    "runId" UUID,
    "requestId" TEXT,
    "personal" BOOLEAN NOT NULL,
    "folder" TEXT,
    "title" TEXT NOT NULL,
    "message" TEXT,
    "question" JSONB NOT NULL,
    "state" TEXT NOT NULL,
    "answer" JSONB,
    "closedById" UUID,
    "closedBy" TEXT,
    "openedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "closedAt" TIMESTAMPTZ(3),
    "expiresAt" TIMESTAMPTZ(3),
    "sentAt" TIMESTAMPTZ(3),

    CONSTRAINT "Dialog_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Dialog_agentId_openedAt_idx" ON "Dialog"("agentId", "openedAt" DESC);

-- CreateIndex
CREATE INDEX "Dialog_state_openedAt_idx" ON "Dialog"("state", "openedAt" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "Dialog_runId_requestId_key" ON "Dialog"("runId", "requestId");

-- AddForeignKey
ALTER TABLE "Dialog" ADD CONSTRAINT "Dialog_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Dialog" ADD CONSTRAINT "Dialog_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Dialog" ADD CONSTRAINT "Dialog_runId_fkey" FOREIGN KEY ("runId") REFERENCES "CodingRun"("id") ON DELETE CASCADE ON UPDATE CASCADE;


