-- AlterTable
ALTER TABLE "SignIn" ADD COLUMN     "previousHash" TEXT,
ADD COLUMN     "rotatedAt" TIMESTAMPTZ(3);


