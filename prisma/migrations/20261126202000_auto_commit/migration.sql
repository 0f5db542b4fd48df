-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "autoCommit" BOOLEAN NOT NULL DEFAULT false;

