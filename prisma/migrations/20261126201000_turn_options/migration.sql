-- AlterTable
ALTER TABLE "Conversation" ADD COLUMN     "placed" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "ConversationMessage" ADD COLUMN     "validate" JSONB;

-- AlterTable
ALTER TABLE "IncomingHook" ADD COLUMN     "validate" BOOLEAN,
ADD COLUMN     "worktree" TEXT;

-- AlterTable
ALTER TABLE "Schedule" ADD COLUMN     "validate" BOOLEAN,
ADD COLUMN     "worktree" TEXT;

-- The turns of earlier conversations go on where their last one worked.
UPDATE "Conversation" SET "cwd" = r."cwd", "placed" = true
FROM "CodingRun" r WHERE r."id" = "Conversation"."lastRunId" AND r."endedAt" IS NOT NULL AND r."startedAt" IS NOT NULL;
