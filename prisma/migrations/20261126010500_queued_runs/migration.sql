-- AlterTable
ALTER TABLE "CodingRun" ADD COLUMN     "beganAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "continuesAt" TIMESTAMPTZ(3),
ADD COLUMN     "queue" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "sessionId" UUID,
ADD COLUMN     "startedAt" TIMESTAMPTZ(3),
ADD COLUMN     "via" TEXT,
ADD COLUMN     "viaId" TEXT,
ADD COLUMN     "waitsForLimit" BOOLEAN NOT NULL DEFAULT false;

-- Every run had one process, in a session of the same id.
UPDATE "CodingRun" SET "sessionId" = "id", "beganAt" = "createdAt", "startedAt" = "createdAt";
ALTER TABLE "CodingRun" ALTER COLUMN "sessionId" SET NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "CodingRun_sessionId_key" ON "CodingRun"("sessionId");
