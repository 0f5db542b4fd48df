-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "useGitToken" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "useCredentials" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE TABLE "Credential" (
    "id" UUID NOT NULL,
    "owner" TEXT NOT NULL,
    "agentId" UUID,
    "userId" UUID,
    "kind" TEXT NOT NULL,
    "address" TEXT,
    "sealed" BYTEA NOT NULL,
    "keyId" TEXT NOT NULL,
    "setAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "setById" UUID,

    CONSTRAINT "Credential_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SecretKeyState" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "keyId" TEXT NOT NULL,

    CONSTRAINT "SecretKeyState_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Credential_agentId_idx" ON "Credential"("agentId");

-- CreateIndex
CREATE INDEX "Credential_userId_idx" ON "Credential"("userId");

-- CreateIndex
CREATE INDEX "Credential_setById_idx" ON "Credential"("setById");

-- CreateIndex
CREATE INDEX "Credential_keyId_idx" ON "Credential"("keyId");

-- CreateIndex
CREATE UNIQUE INDEX "Credential_owner_kind_key" ON "Credential"("owner", "kind");

-- AddForeignKey
ALTER TABLE "Credential" ADD CONSTRAINT "Credential_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Credential" ADD CONSTRAINT "Credential_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Credential" ADD CONSTRAINT "Credential_setById_fkey" FOREIGN KEY ("setById") REFERENCES "User"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Exactly one owner: an agent, a user, or with neither the platform.
ALTER TABLE "Credential" ADD CONSTRAINT "Credential_owner_check" CHECK ("owner" = CASE
    WHEN "agentId" IS NOT NULL AND "userId" IS NULL THEN 'agent:' || "agentId"::text
    WHEN "userId" IS NOT NULL AND "agentId" IS NULL THEN 'user:' || "userId"::text
    WHEN "agentId" IS NULL AND "userId" IS NULL THEN 'platform'
    ELSE '' END);

ALTER TABLE "SecretKeyState" ADD CONSTRAINT "SecretKeyState_one_row" CHECK ("id" = 1);
