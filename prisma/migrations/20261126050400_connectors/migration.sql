-- CreateTable
CREATE TABLE "Connector" (
    "id" UUID NOT NULL,
    "owner" TEXT NOT NULL,
    "agentId" UUID,
    "userId" UUID,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "sealed" BYTEA NOT NULL,
    "keyId" TEXT NOT NULL,
    "setAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "setById" UUID,

    CONSTRAINT "Connector_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Connector_agentId_idx" ON "Connector"("agentId");

-- CreateIndex
CREATE INDEX "Connector_userId_idx" ON "Connector"("userId");

-- CreateIndex
CREATE INDEX "Connector_setById_idx" ON "Connector"("setById");

-- CreateIndex
CREATE INDEX "Connector_keyId_idx" ON "Connector"("keyId");

-- CreateIndex
CREATE UNIQUE INDEX "Connector_owner_name_key" ON "Connector"("owner", "name");

-- AddForeignKey
ALTER TABLE "Connector" ADD CONSTRAINT "Connector_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Connector" ADD CONSTRAINT "Connector_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Connector" ADD CONSTRAINT "Connector_setById_fkey" FOREIGN KEY ("setById") REFERENCES "User"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Exactly one owner: an agent, a user, or with neither the platform.
ALTER TABLE "Connector" ADD CONSTRAINT "Connector_owner_check" CHECK ("owner" = CASE
    WHEN "agentId" IS NOT NULL AND "userId" IS NULL THEN 'agent:' || "agentId"::text
    WHEN "userId" IS NOT NULL AND "agentId" IS NULL THEN 'user:' || "userId"::text
    WHEN "agentId" IS NULL AND "userId" IS NULL THEN 'platform'
    ELSE '' END);
