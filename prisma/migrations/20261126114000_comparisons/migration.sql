-- AlterTable
ALTER TABLE "CodingRun" ADD COLUMN     "archivedAt" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "Comparison" (
    "id" UUID NOT NULL,
    "userId" UUID NOT NULL,
    "prompt" TEXT NOT NULL,
    "chosenId" UUID,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Comparison_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ComparisonTarget" (
    "comparisonId" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "agentName" TEXT NOT NULL,
    "provider" TEXT,
    "model" TEXT,
    "cwd" TEXT,
    "runId" UUID NOT NULL,
    "refusalCode" TEXT,
    "refusal" TEXT,

    CONSTRAINT "ComparisonTarget_pkey" PRIMARY KEY ("comparisonId","position")
);

-- CreateIndex
CREATE INDEX "Comparison_userId_createdAt_idx" ON "Comparison"("userId", "createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "ComparisonTarget_runId_key" ON "ComparisonTarget"("runId");

-- AddForeignKey
ALTER TABLE "Comparison" ADD CONSTRAINT "Comparison_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ComparisonTarget" ADD CONSTRAINT "ComparisonTarget_comparisonId_fkey" FOREIGN KEY ("comparisonId") REFERENCES "Comparison"("id") ON DELETE CASCADE ON UPDATE CASCADE;


