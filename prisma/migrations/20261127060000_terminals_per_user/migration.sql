-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "terminalsPerUser" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "TerminalSession" ADD COLUMN     "tab" TEXT;
