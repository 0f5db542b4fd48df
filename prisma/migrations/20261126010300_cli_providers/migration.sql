-- AlterTable
ALTER TABLE "CodingRun" ADD COLUMN     "displayName" TEXT,
ADD COLUMN     "outputFormat" TEXT;

-- CreateTable
CREATE TABLE "CliProvider" (
    "id" UUID NOT NULL,
    "userId" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "displayName" TEXT NOT NULL,
    "description" TEXT,
    "binary" TEXT NOT NULL,
    "category" TEXT NOT NULL,
    "icon" TEXT,
    "color" TEXT,
    "authMethod" TEXT NOT NULL,
    "configServiceName" TEXT,
    "apiKeyEnvVar" TEXT,
    "defaultArgs" TEXT[],
    "promptTemplate" TEXT,
    "promptVia" TEXT NOT NULL,
    "outputFormat" TEXT NOT NULL,
    "defaultTimeoutMs" INTEGER NOT NULL,
    "maxTimeoutMs" INTEGER NOT NULL,
    "isActive" BOOLEAN NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "CliProvider_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "CliProvider_userId_name_key" ON "CliProvider"("userId", "name");

-- AddForeignKey
ALTER TABLE "CliProvider" ADD CONSTRAINT "CliProvider_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;
