/** Shapes that every REST resource shares. */
import Type, { type Static, type TSchema } from 'typebox'

/** A moment as ISO 8601 in UTC, in the format of `Date.prototype.toISOString`. */
export const Timestamp = Type.String({ format: 'date-time' })

/** The body of every failed request: Fastify's own shape. */
export const ErrorBody = Type.Object({
  statusCode: Type.Integer(),
  /** One of {@link ErrorCode}; programs should check this. */
  code: Type.String(),
  /** The status's own name, such as "Not Found". */
  error: Type.String(),
  /** A sentence for users: what happened and what to do. */
  message: Type.String(),
})
export type ErrorBody = Static<typeof ErrorBody>

/** Most items on one page of a list. */
export const PAGE_LIMIT_MAX = 500
/** Items on one page by default. */
export const PAGE_LIMIT_DEFAULT = 100

/** The query of every list. `cursor` is the `nextCursor` of the previous page. */
export const PageQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_LIMIT_MAX, default: PAGE_LIMIT_DEFAULT })),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  { additionalProperties: false },
)
export type PageQuery = Static<typeof PageQuery>

/** A page of a list; `nextCursor` is null on the last page. */
export const Page = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), nextCursor: Type.Union([Type.String(), Type.Null()]) })

/** A value that may be null. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** An e-mail address; compared without regard to case. 254 is the longest that SMTP carries (RFC 5321, 4.5.3.1). */
export const Email = Type.String({ format: 'email', maxLength: 254 })

/** A new password. 12 characters are our minimum; 1,024 bounds the work of argon2. */
export const NewPassword = Type.String({ minLength: 12, maxLength: 1024 })
