/** Holds a server at a step of a task: the write of that step waits in PostgreSQL until the test goes on. */
import pg from 'pg'

/** The writes of a task, in their order. */
export type Step = 'row' | 'session' | 'running' | 'end' | 'session-end'

/** The lock on which held writes wait. */
const LOCK = 4711

/** A task stops at a step if its prompt has the step in its first line, behind `# `. */
const INSTALL = `
  CREATE FUNCTION hold_step() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE task text; step text;
  BEGIN
    IF TG_TABLE_NAME = 'CodingRun' THEN
      task := NEW.prompt;
      step := CASE WHEN TG_OP = 'INSERT' THEN 'row'
        WHEN NEW."endedAt" IS NOT NULL AND OLD."endedAt" IS NULL THEN 'end'
        WHEN NEW.state = 'running' AND OLD.state <> 'running' THEN 'running' END;
    ELSE
      SELECT prompt INTO task FROM "CodingRun" WHERE "sessionId" = NEW.id;
      step := CASE WHEN TG_OP = 'INSERT' THEN 'session'
        WHEN NEW."endedAt" IS NOT NULL AND OLD."endedAt" IS NULL THEN 'session-end' END;
    END IF;
    IF task LIKE '# ' || step || E'\\n%' THEN PERFORM pg_advisory_xact_lock(${LOCK}); END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER hold_step BEFORE INSERT OR UPDATE ON "CodingRun" FOR EACH ROW EXECUTE FUNCTION hold_step();
  CREATE TRIGGER hold_step BEFORE INSERT OR UPDATE ON "TerminalSession" FOR EACH ROW EXECUTE FUNCTION hold_step();
  SELECT pg_advisory_lock(${LOCK});`

const REMOVE = `
  DROP TRIGGER hold_step ON "CodingRun";
  DROP TRIGGER hold_step ON "TerminalSession";
  DROP FUNCTION hold_step;`

const HELD = `FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`

export class Steps {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  /** From now on tasks stop. The database has its tables. */
  static async hold(url: string): Promise<Steps> {
    const client = new pg.Client({ connectionString: url })
    // If the test has failed, the database ends first.
    client.on('error', () => undefined)
    await client.connect()
    await client.query(INSTALL)
    return new Steps(client)
  }

  /** How many writes wait. */
  async held(): Promise<number> {
    const { rows } = await this.#client.query<{ held: number }>(`SELECT count(*)::int AS held ${HELD}`)
    return rows[0]?.held ?? 0
  }

  /** Undoes the writes that wait. Their server is dead, and PostgreSQL would carry them out. */
  async undo(): Promise<void> {
    await this.#client.query(`SELECT pg_terminate_backend(pid) ${HELD}`)
    await this.#client.query(REMOVE)
    await this.#client.end()
  }
}
