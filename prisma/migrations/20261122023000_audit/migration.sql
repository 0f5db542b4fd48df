-- CreateTable
CREATE TABLE "AuditEvent" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "action" TEXT NOT NULL,
    "actorId" UUID,
    "actorEmail" TEXT,
    "via" TEXT NOT NULL,
    "viaId" UUID,
    "address" TEXT,
    "requestId" TEXT,
    "targetType" TEXT,
    "targetId" UUID,
    "targetName" TEXT,
    "detail" JSONB NOT NULL,

    CONSTRAINT "AuditEvent_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "AuditEvent_actorId_id_idx" ON "AuditEvent"("actorId", "id");

-- CreateIndex
CREATE INDEX "AuditEvent_actorEmail_id_idx" ON "AuditEvent"("actorEmail", "id");

-- CreateIndex
CREATE INDEX "AuditEvent_action_id_idx" ON "AuditEvent"("action", "id");

-- CreateIndex
CREATE INDEX "AuditEvent_targetId_id_idx" ON "AuditEvent"("targetId", "id");

-- CreateIndex
CREATE INDEX "AuditEvent_targetName_id_idx" ON "AuditEvent"("targetName", "id");


-- What is recorded stays as it is: neither a mistake in the code nor a statement typed by hand changes a row. ALWAYS: also
-- where a session pretends to be a replica.
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END;
$$;

CREATE TRIGGER "AuditEvent_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "AuditEvent"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();

ALTER TABLE "AuditEvent" ENABLE ALWAYS TRIGGER "AuditEvent_append_only";
