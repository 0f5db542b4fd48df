-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "uid" INTEGER;

-- CreateIndex
CREATE UNIQUE INDEX "Agent_uid_key" ON "Agent"("uid");
