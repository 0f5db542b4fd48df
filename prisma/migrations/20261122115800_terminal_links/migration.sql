-- CreateTable
CREATE TABLE "TerminalLink" (
    "id" UUID NOT NULL,
    "sessionId" UUID NOT NULL,
    "createdById" UUID NOT NULL,
    "secretHash" TEXT NOT NULL,
    "access" TEXT NOT NULL,
    "audience" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "TerminalLink_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "TerminalLink_secretHash_key" ON "TerminalLink"("secretHash");

-- CreateIndex
CREATE INDEX "TerminalLink_sessionId_idx" ON "TerminalLink"("sessionId");

-- CreateIndex
CREATE INDEX "TerminalLink_createdById_idx" ON "TerminalLink"("createdById");

-- AddForeignKey
ALTER TABLE "TerminalLink" ADD CONSTRAINT "TerminalLink_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES "TerminalSession"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TerminalLink" ADD CONSTRAINT "TerminalLink_createdById_fkey" FOREIGN KEY ("createdById") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;


