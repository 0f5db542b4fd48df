-- AlterTable
ALTER TABLE "CodingRun" ADD COLUMN     "worktree" TEXT;

-- CreateTable
CREATE TABLE "Worktree" (
    "id" UUID NOT NULL,
    "agentId" UUID NOT NULL,
    "userId" UUID,
    "runId" UUID NOT NULL,
    "path" TEXT NOT NULL,
    "repository" TEXT NOT NULL,
    "common" TEXT NOT NULL,
    "base" TEXT NOT NULL,
    "branch" TEXT,
    "state" TEXT NOT NULL,
    "kept" TEXT,
    "salvage" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "usedAt" TIMESTAMPTZ(3) NOT NULL,
    "removedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Worktree_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "WorktreeSettings" (
    "agentId" UUID NOT NULL,
    "mode" TEXT NOT NULL,
    "root" TEXT NOT NULL,
    "setup" TEXT,

    CONSTRAINT "WorktreeSettings_pkey" PRIMARY KEY ("agentId")
);

-- CreateIndex
CREATE INDEX "Worktree_agentId_state_idx" ON "Worktree"("agentId", "state");

-- AddForeignKey
ALTER TABLE "Worktree" ADD CONSTRAINT "Worktree_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Worktree" ADD CONSTRAINT "Worktree_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorktreeSettings" ADD CONSTRAINT "WorktreeSettings_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;
