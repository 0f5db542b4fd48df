-- API tokens could make links to terminals that hold a personal credential. Those links go.
DELETE FROM "TerminalLink" AS link
USING "TerminalSession" AS session, "AuditEvent" AS event
WHERE session."id" = link."sessionId"
  AND session."personal"
  AND event."action" = 'terminal.link_created'
  AND event."via" = 'api_token'
  AND event."detail" ->> 'linkId' = link."id"::text;
