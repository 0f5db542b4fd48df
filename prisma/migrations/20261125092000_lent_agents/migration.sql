-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "lentAt" TIMESTAMPTZ(3);

-- The audit log knows which agents others were let into.
UPDATE "Agent" AS agent SET "lentAt" = now()
WHERE EXISTS (SELECT 1 FROM "Share" AS share WHERE share."agentId" = agent."id")
  OR EXISTS (
    SELECT 1 FROM "AuditEvent" AS event
    WHERE event."targetId" = agent."id"
      AND event."action" IN ('share.created', 'agent.handed_over', 'terminal.control_given')
  );
