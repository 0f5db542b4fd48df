-- CreateTable
CREATE TABLE "DashboardMark" (
    "userId" UUID NOT NULL,
    "seenUntil" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "DashboardMark_pkey" PRIMARY KEY ("userId")
);

-- AddForeignKey
ALTER TABLE "DashboardMark" ADD CONSTRAINT "DashboardMark_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

