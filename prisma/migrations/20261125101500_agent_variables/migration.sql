-- CreateTable
CREATE TABLE "AgentVariable" (
    "id" UUID NOT NULL,
    "agentId" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "secret" BOOLEAN NOT NULL,
    "sealed" BYTEA NOT NULL,
    "keyId" TEXT NOT NULL,
    "setAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "setById" UUID,

    CONSTRAINT "AgentVariable_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "AgentVariable_setById_idx" ON "AgentVariable"("setById");

-- CreateIndex
CREATE INDEX "AgentVariable_keyId_idx" ON "AgentVariable"("keyId");

-- CreateIndex
CREATE UNIQUE INDEX "AgentVariable_agentId_name_key" ON "AgentVariable"("agentId", "name");

-- AddForeignKey
ALTER TABLE "AgentVariable" ADD CONSTRAINT "AgentVariable_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AgentVariable" ADD CONSTRAINT "AgentVariable_setById_fkey" FOREIGN KEY ("setById") REFERENCES "User"("id") ON DELETE SET NULL ON UPDATE CASCADE;


