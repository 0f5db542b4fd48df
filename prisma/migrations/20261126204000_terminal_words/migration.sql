-- AlterTable
ALTER TABLE "Conversation" ADD COLUMN     "terminalReadAt" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "ConversationMessage" ADD COLUMN     "answer" TEXT;
