-- CreateEnum
CREATE TYPE "AgentPolicy" AS ENUM ('tiers', 'ask', 'plan');

-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "policy" "AgentPolicy";

-- CreateTable
CREATE TABLE "ApprovalRule" (
    "id" UUID NOT NULL,
    "userId" UUID,
    "agentId" UUID,
    "decision" TEXT NOT NULL,
    "covers" JSONB NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "createdBy" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3),

    CONSTRAINT "ApprovalRule_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "ApprovalRule_userId_idx" ON "ApprovalRule"("userId");

-- CreateIndex
CREATE INDEX "ApprovalRule_agentId_idx" ON "ApprovalRule"("agentId");

-- AddForeignKey
ALTER TABLE "ApprovalRule" ADD CONSTRAINT "ApprovalRule_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ApprovalRule" ADD CONSTRAINT "ApprovalRule_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;
