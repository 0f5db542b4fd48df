-- CreateTable
CREATE TABLE "AgentTools" (
    "agentId" UUID NOT NULL,
    "tokenId" UUID NOT NULL,
    "setAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "AgentTools_pkey" PRIMARY KEY ("agentId")
);

-- CreateIndex
CREATE INDEX "AgentTools_tokenId_idx" ON "AgentTools"("tokenId");

-- AddForeignKey
ALTER TABLE "AgentTools" ADD CONSTRAINT "AgentTools_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AgentTools" ADD CONSTRAINT "AgentTools_tokenId_fkey" FOREIGN KEY ("tokenId") REFERENCES "ApiToken"("id") ON DELETE CASCADE ON UPDATE CASCADE;
