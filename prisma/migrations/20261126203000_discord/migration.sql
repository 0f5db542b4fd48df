-- CreateTable
CREATE TABLE "ChatAccount" (
    "id" UUID NOT NULL,
    "service" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "userId" UUID NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ChatAccount_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ChatCode" (
    "userId" UUID NOT NULL,
    "service" TEXT NOT NULL,
    "codeHash" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ChatCode_pkey" PRIMARY KEY ("userId","service")
);

-- CreateTable
CREATE TABLE "ChatRoom" (
    "service" TEXT NOT NULL,
    "roomId" TEXT NOT NULL,
    "agentId" UUID NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ChatRoom_pkey" PRIMARY KEY ("service","roomId","agentId")
);

-- CreateTable
CREATE TABLE "ChatThread" (
    "conversationId" UUID NOT NULL,
    "service" TEXT NOT NULL,
    "roomId" TEXT NOT NULL,
    "threadId" TEXT,
    "cursor" TEXT,
    "saidSeq" INTEGER NOT NULL DEFAULT 0,
    "goneAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ChatThread_pkey" PRIMARY KEY ("conversationId")
);

-- CreateTable
CREATE TABLE "ChatMessage" (
    "messageId" UUID NOT NULL,
    "conversationId" UUID NOT NULL,
    "remoteId" TEXT NOT NULL,
    "mark" TEXT,

    CONSTRAINT "ChatMessage_pkey" PRIMARY KEY ("messageId")
);

-- CreateTable
CREATE TABLE "ChatQuestion" (
    "dialogId" UUID NOT NULL,
    "conversationId" UUID NOT NULL,
    "remoteId" TEXT NOT NULL,
    "isClosed" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "ChatQuestion_pkey" PRIMARY KEY ("dialogId")
);

-- CreateIndex
CREATE UNIQUE INDEX "ChatAccount_service_accountId_key" ON "ChatAccount"("service", "accountId");

-- CreateIndex
CREATE UNIQUE INDEX "ChatAccount_service_userId_key" ON "ChatAccount"("service", "userId");

-- CreateIndex
CREATE UNIQUE INDEX "ChatCode_codeHash_key" ON "ChatCode"("codeHash");

-- CreateIndex
CREATE INDEX "ChatRoom_agentId_idx" ON "ChatRoom"("agentId");

-- CreateIndex
CREATE UNIQUE INDEX "ChatThread_service_threadId_key" ON "ChatThread"("service", "threadId");

-- CreateIndex
CREATE INDEX "ChatMessage_conversationId_idx" ON "ChatMessage"("conversationId");

-- CreateIndex
CREATE INDEX "ChatQuestion_conversationId_idx" ON "ChatQuestion"("conversationId");

-- AddForeignKey
ALTER TABLE "ChatAccount" ADD CONSTRAINT "ChatAccount_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ChatCode" ADD CONSTRAINT "ChatCode_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ChatRoom" ADD CONSTRAINT "ChatRoom_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ChatThread" ADD CONSTRAINT "ChatThread_conversationId_fkey" FOREIGN KEY ("conversationId") REFERENCES "Conversation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ChatMessage" ADD CONSTRAINT "ChatMessage_messageId_fkey" FOREIGN KEY ("messageId") REFERENCES "ConversationMessage"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ChatMessage" ADD CONSTRAINT "ChatMessage_conversationId_fkey" FOREIGN KEY ("conversationId") REFERENCES "ChatThread"("conversationId") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ChatQuestion" ADD CONSTRAINT "ChatQuestion_dialogId_fkey" FOREIGN KEY ("dialogId") REFERENCES "Dialog"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ChatQuestion" ADD CONSTRAINT "ChatQuestion_conversationId_fkey" FOREIGN KEY ("conversationId") REFERENCES "ChatThread"("conversationId") ON DELETE CASCADE ON UPDATE CASCADE;


