-- CreateTable
CREATE TABLE "DeviceLogin" (
    "id" UUID NOT NULL,
    "deviceHash" TEXT NOT NULL,
    "userCodeHash" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT[],
    "address" TEXT,
    "network" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "userId" UUID,
    "isAllowed" BOOLEAN NOT NULL DEFAULT false,
    "expiresInDays" INTEGER,

    CONSTRAINT "DeviceLogin_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "DeviceLogin_deviceHash_key" ON "DeviceLogin"("deviceHash");

-- CreateIndex
CREATE UNIQUE INDEX "DeviceLogin_userCodeHash_key" ON "DeviceLogin"("userCodeHash");

-- CreateIndex
CREATE INDEX "DeviceLogin_expiresAt_idx" ON "DeviceLogin"("expiresAt");

-- CreateIndex
CREATE INDEX "DeviceLogin_network_idx" ON "DeviceLogin"("network");

-- AddForeignKey
ALTER TABLE "DeviceLogin" ADD CONSTRAINT "DeviceLogin_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;


