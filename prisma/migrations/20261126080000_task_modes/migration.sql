-- AlterTable
ALTER TABLE "CodingRun" ADD COLUMN     "mode" TEXT NOT NULL DEFAULT 'auto';

-- AlterTable
ALTER TABLE "TerminalSession" ADD COLUMN     "task" BOOLEAN NOT NULL DEFAULT false;
