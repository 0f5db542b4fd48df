-- AlterTable
ALTER TABLE "CodingRun" ADD COLUMN     "validate" JSONB,
ADD COLUMN     "validation" TEXT;

-- CreateTable
CREATE TABLE "Validation" (
    "runId" UUID NOT NULL,
    "attempt" UUID NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "personal" BOOLEAN NOT NULL DEFAULT false,
    "evidence" JSONB NOT NULL,
    "startedAt" TIMESTAMPTZ(3) NOT NULL,
    "endedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Validation_pkey" PRIMARY KEY ("runId")
);

-- CreateIndex
CREATE INDEX "CodingRun_validation_idx" ON "CodingRun"("validation");

-- AddForeignKey
ALTER TABLE "Validation" ADD CONSTRAINT "Validation_runId_fkey" FOREIGN KEY ("runId") REFERENCES "CodingRun"("id") ON DELETE CASCADE ON UPDATE CASCADE;
