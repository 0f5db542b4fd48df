-- AlterTable
ALTER TABLE "CodingRun" ADD COLUMN     "changesDetected" BOOLEAN,
ADD COLUMN     "deletions" INTEGER,
ADD COLUMN     "filesChanged" INTEGER,
ADD COLUMN     "insertions" INTEGER,
ADD COLUMN     "startTree" TEXT;
