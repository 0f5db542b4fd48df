/** Shapes that every REST resource shares. */
import Type, { type Static, type TSchema } from 'typebox'

/** A moment as ISO 8601 in UTC, as `Date.prototype.toISOString` prints it. */
export const Timestamp = Type.String({ format: 'date-time' })

/** The body of every failed request: Fastify's own shape. */
export const ErrorBody = Type.Object({
  statusCode: Type.Integer(),
  /** One of {@link ErrorCode}; what a program should look at. */
  code: Type.String(),
  /** The status's own name, such as "Not Found". */
  error: Type.String(),
  /** A sentence for a person: what happened and what to do. */
  message: Type.String(),
})
export type ErrorBody = Static<typeof ErrorBody>

/** Most items one page of a list may hold. */
export const PAGE_LIMIT_MAX = 500
/** Items on one page when the caller does not say. */
export const PAGE_LIMIT_DEFAULT = 100

/** The query of every list. `cursor` is what the previous page answered as `nextCursor`. */
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

/** A new password. 12 is our minimum; 1,024 bounds what argon2 is made to hash. */
export const NewPassword = Type.String({ minLength: 12, maxLength: 1024 })
