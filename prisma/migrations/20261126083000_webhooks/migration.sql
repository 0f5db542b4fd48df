-- CreateTable
CREATE TABLE "Webhook" (
    "id" UUID NOT NULL,
    "userId" UUID,
    "via" TEXT NOT NULL,
    "viaId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kinds" TEXT[],
    "withText" BOOLEAN NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "disabledBecause" TEXT,
    "failingSince" TIMESTAMPTZ(3),
    "sealed" BYTEA NOT NULL,
    "keyId" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "WebhookDelivery" (
    "id" UUID NOT NULL,
    "webhookId" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "runId" UUID,
    "body" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "nextAt" TIMESTAMPTZ(3),
    "attemptedAt" TIMESTAMPTZ(3),
    "status" INTEGER,
    "error" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "WebhookDelivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "IncomingHook" (
    "id" UUID NOT NULL,
    "userId" UUID NOT NULL,
    "agentId" UUID NOT NULL,
    "via" TEXT NOT NULL,
    "viaId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "events" TEXT[],
    "enabled" BOOLEAN NOT NULL,
    "disabledBecause" TEXT,
    "provider" TEXT,
    "prompt" TEXT NOT NULL,
    "cwd" TEXT,
    "model" TEXT,
    "timeoutSeconds" INTEGER,
    "maxTurns" INTEGER,
    "maxBudgetUsd" DOUBLE PRECISION,
    "sealed" BYTEA NOT NULL,
    "keyId" TEXT NOT NULL,
    "lastAt" TIMESTAMPTZ(3),
    "lastRunId" UUID,
    "lastRefused" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "IncomingHook_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Webhook_userId_idx" ON "Webhook"("userId");

-- CreateIndex
CREATE INDEX "Webhook_keyId_idx" ON "Webhook"("keyId");

-- CreateIndex
CREATE INDEX "WebhookDelivery_webhookId_createdAt_idx" ON "WebhookDelivery"("webhookId", "createdAt");

-- CreateIndex
CREATE INDEX "WebhookDelivery_nextAt_idx" ON "WebhookDelivery"("nextAt");

-- CreateIndex
CREATE INDEX "IncomingHook_userId_idx" ON "IncomingHook"("userId");

-- CreateIndex
CREATE INDEX "IncomingHook_agentId_idx" ON "IncomingHook"("agentId");

-- CreateIndex
CREATE INDEX "IncomingHook_keyId_idx" ON "IncomingHook"("keyId");

-- AddForeignKey
ALTER TABLE "Webhook" ADD CONSTRAINT "Webhook_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WebhookDelivery" ADD CONSTRAINT "WebhookDelivery_webhookId_fkey" FOREIGN KEY ("webhookId") REFERENCES "Webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IncomingHook" ADD CONSTRAINT "IncomingHook_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IncomingHook" ADD CONSTRAINT "IncomingHook_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;


