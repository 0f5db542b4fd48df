-- CreateTable
CREATE TABLE "PortLink" (
    "id" UUID NOT NULL,
    "agentId" UUID NOT NULL,
    "port" INTEGER NOT NULL,
    "createdById" UUID NOT NULL,
    "via" TEXT NOT NULL,
    "viaId" UUID NOT NULL,
    "secretHash" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "PortLink_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "PortLink_secretHash_key" ON "PortLink"("secretHash");

-- CreateIndex
CREATE INDEX "PortLink_agentId_idx" ON "PortLink"("agentId");

-- CreateIndex
CREATE INDEX "PortLink_createdById_idx" ON "PortLink"("createdById");

-- AddForeignKey
ALTER TABLE "PortLink" ADD CONSTRAINT "PortLink_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PortLink" ADD CONSTRAINT "PortLink_createdById_fkey" FOREIGN KEY ("createdById") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;


