-- AlterTable
ALTER TABLE "TerminalSession" ADD COLUMN     "cliSessionId" TEXT;
