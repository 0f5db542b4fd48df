-- CreateTable
CREATE TABLE "AgentTemplateSecret" (
    "id" UUID NOT NULL,
    "templateId" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "sealed" BYTEA NOT NULL,
    "keyId" TEXT NOT NULL,
    "setAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "AgentTemplateSecret_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "AgentTemplateSecret_keyId_idx" ON "AgentTemplateSecret"("keyId");

-- CreateIndex
CREATE UNIQUE INDEX "AgentTemplateSecret_templateId_name_key" ON "AgentTemplateSecret"("templateId", "name");

-- AddForeignKey
ALTER TABLE "AgentTemplateSecret" ADD CONSTRAINT "AgentTemplateSecret_templateId_fkey" FOREIGN KEY ("templateId") REFERENCES "AgentTemplate"("id") ON DELETE CASCADE ON UPDATE CASCADE;
