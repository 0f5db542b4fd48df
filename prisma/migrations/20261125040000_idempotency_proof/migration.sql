-- A key belongs to the sign-in or API token that it came with. Of the kept ones nobody knows which that was; they would be gone within a day.
DELETE FROM "IdempotencyKey";

-- AlterTable
ALTER TABLE "IdempotencyKey" DROP CONSTRAINT "IdempotencyKey_pkey",
ADD COLUMN     "proofId" UUID NOT NULL,
ADD CONSTRAINT "IdempotencyKey_pkey" PRIMARY KEY ("proofId", "key");

-- CreateIndex
CREATE INDEX "IdempotencyKey_userId_idx" ON "IdempotencyKey"("userId");
