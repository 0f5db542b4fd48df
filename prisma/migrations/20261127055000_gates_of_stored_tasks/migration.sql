-- How often the tasks of a schedule, or of an incoming webhook, may repair their work.
ALTER TABLE "IncomingHook" ADD COLUMN "gateRepairs" INTEGER;

ALTER TABLE "Schedule" ADD COLUMN "gateRepairs" INTEGER;
