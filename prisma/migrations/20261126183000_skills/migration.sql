-- CreateTable
CREATE TABLE "Skill" (
    "id" UUID NOT NULL,
    "owner" TEXT NOT NULL,
    "agentId" UUID,
    "userId" UUID,
    "name" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "text" TEXT NOT NULL,
    "files" JSONB NOT NULL,
    "setAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "setById" UUID,

    CONSTRAINT "Skill_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SkillSetting" (
    "agentId" UUID NOT NULL,
    "repository" BOOLEAN NOT NULL,
    "maxPromptTokens" INTEGER NOT NULL,

    CONSTRAINT "SkillSetting_pkey" PRIMARY KEY ("agentId")
);

-- CreateIndex
CREATE INDEX "Skill_agentId_idx" ON "Skill"("agentId");

-- CreateIndex
CREATE INDEX "Skill_userId_idx" ON "Skill"("userId");

-- CreateIndex
CREATE INDEX "Skill_setById_idx" ON "Skill"("setById");

-- CreateIndex
CREATE UNIQUE INDEX "Skill_owner_name_key" ON "Skill"("owner", "name");

-- AddForeignKey
ALTER TABLE "Skill" ADD CONSTRAINT "Skill_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Skill" ADD CONSTRAINT "Skill_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Skill" ADD CONSTRAINT "Skill_setById_fkey" FOREIGN KEY ("setById") REFERENCES "User"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SkillSetting" ADD CONSTRAINT "SkillSetting_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Exactly one owner: an agent, a user, or with neither the platform.
ALTER TABLE "Skill" ADD CONSTRAINT "Skill_owner_check" CHECK ("owner" = CASE
    WHEN "agentId" IS NOT NULL AND "userId" IS NULL THEN 'agent:' || "agentId"::text
    WHEN "userId" IS NOT NULL AND "agentId" IS NULL THEN 'user:' || "userId"::text
    WHEN "agentId" IS NULL AND "userId" IS NULL THEN 'platform'
    ELSE '' END);
