-- CreateEnum
CREATE TYPE "RecordingState" AS ENUM ('recording', 'complete', 'cut', 'disk_full', 'too_large', 'failed');

-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "record" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "recordInput" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "Recording" (
    "id" UUID NOT NULL,
    "agentId" UUID NOT NULL,
    "userId" UUID,
    "email" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "startedAt" TIMESTAMPTZ(3) NOT NULL,
    "endedAt" TIMESTAMPTZ(3),
    "durationMs" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "bytes" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "state" "RecordingState" NOT NULL DEFAULT 'recording',
    "input" BOOLEAN NOT NULL DEFAULT false,
    "shared" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "Recording_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Recording_agentId_id_idx" ON "Recording"("agentId", "id");

-- CreateIndex
CREATE INDEX "Recording_userId_idx" ON "Recording"("userId");

-- CreateIndex
CREATE INDEX "Recording_state_idx" ON "Recording"("state");

-- AddForeignKey
ALTER TABLE "Recording" ADD CONSTRAINT "Recording_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Recording" ADD CONSTRAINT "Recording_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE SET NULL ON UPDATE CASCADE;



-- On by default for the system agent, for those too that are there already.
UPDATE "Agent" SET "record" = true WHERE "isSystem";
