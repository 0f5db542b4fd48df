-- CreateTable
CREATE TABLE "AgentPreparation" (
    "agentId" UUID NOT NULL,
    "userId" UUID,
    "via" TEXT NOT NULL,
    "viaId" UUID NOT NULL,
    "url" TEXT,
    "ref" TEXT,
    "folder" TEXT,
    "devcontainer" TEXT NOT NULL,
    "setupCommand" TEXT,
    "taskPrompt" TEXT,
    "taskProvider" TEXT,
    "taskId" UUID,
    "taskError" TEXT,
    "state" TEXT NOT NULL,
    "isCloned" BOOLEAN NOT NULL DEFAULT false,
    "error" TEXT,
    "output" TEXT NOT NULL DEFAULT '',
    "commit" TEXT,
    "branch" TEXT,
    "offer" JSONB,
    "confirmed" JSONB,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "changedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "AgentPreparation_pkey" PRIMARY KEY ("agentId")
);

-- CreateIndex
CREATE INDEX "AgentPreparation_state_idx" ON "AgentPreparation"("state");

-- AddForeignKey
ALTER TABLE "AgentPreparation" ADD CONSTRAINT "AgentPreparation_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AgentPreparation" ADD CONSTRAINT "AgentPreparation_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE SET NULL ON UPDATE CASCADE;


