-- AlterTable
ALTER TABLE "Notice" ADD COLUMN     "sessionId" UUID,
ALTER COLUMN "dialogId" DROP NOT NULL;

-- CreateIndex
CREATE INDEX "Notice_sessionId_idx" ON "Notice"("sessionId");
