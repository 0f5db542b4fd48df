-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "keepSeconds" INTEGER NOT NULL DEFAULT 300;

-- AlterTable
ALTER TABLE "TerminalSession" ADD COLUMN     "personal" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "via" TEXT,
ADD COLUMN     "viaId" UUID;
