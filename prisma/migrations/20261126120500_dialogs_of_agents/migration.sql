-- AlterTable
ALTER TABLE "Dialog" ADD COLUMN     "askId" UUID,
ALTER COLUMN "userId" DROP NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "Dialog_agentId_askId_key" ON "Dialog"("agentId", "askId");
