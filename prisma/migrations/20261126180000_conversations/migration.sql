-- AlterTable
ALTER TABLE "CodingRun" ADD COLUMN     "forks" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "Conversation" (
    "id" UUID NOT NULL,
    "userId" UUID NOT NULL,
    "agentId" UUID,
    "agentName" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "displayName" TEXT,
    "cwd" TEXT NOT NULL,
    "options" JSONB NOT NULL,
    "currentRunId" UUID,
    "lastRunId" UUID,
    "resumeRunId" UUID,
    "cliSessionId" TEXT,
    "forks" BOOLEAN NOT NULL DEFAULT false,
    "forgotten" BOOLEAN NOT NULL DEFAULT false,
    "forkedFromId" UUID,
    "error" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "lastActivityAt" TIMESTAMPTZ(3) NOT NULL,
    "archivedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Conversation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ConversationMessage" (
    "id" UUID NOT NULL,
    "conversationId" UUID NOT NULL,
    "userId" UUID NOT NULL,
    "via" TEXT NOT NULL,
    "viaId" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "text" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "runId" UUID,
    "error" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ConversationMessage_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Conversation_userId_lastActivityAt_idx" ON "Conversation"("userId", "lastActivityAt");

-- CreateIndex
CREATE INDEX "Conversation_agentId_lastActivityAt_idx" ON "Conversation"("agentId", "lastActivityAt");

-- CreateIndex
CREATE INDEX "Conversation_currentRunId_idx" ON "Conversation"("currentRunId");

-- CreateIndex
CREATE INDEX "ConversationMessage_conversationId_seq_idx" ON "ConversationMessage"("conversationId", "seq");

-- CreateIndex
CREATE INDEX "ConversationMessage_runId_idx" ON "ConversationMessage"("runId");

-- CreateIndex
CREATE INDEX "ConversationMessage_state_idx" ON "ConversationMessage"("state");

-- AddForeignKey
ALTER TABLE "Conversation" ADD CONSTRAINT "Conversation_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Conversation" ADD CONSTRAINT "Conversation_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Conversation" ADD CONSTRAINT "Conversation_currentRunId_fkey" FOREIGN KEY ("currentRunId") REFERENCES "CodingRun"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Conversation" ADD CONSTRAINT "Conversation_forkedFromId_fkey" FOREIGN KEY ("forkedFromId") REFERENCES "Conversation"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ConversationMessage" ADD CONSTRAINT "ConversationMessage_conversationId_fkey" FOREIGN KEY ("conversationId") REFERENCES "Conversation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ConversationMessage" ADD CONSTRAINT "ConversationMessage_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ConversationMessage" ADD CONSTRAINT "ConversationMessage_runId_fkey" FOREIGN KEY ("runId") REFERENCES "CodingRun"("id") ON DELETE SET NULL ON UPDATE CASCADE;
