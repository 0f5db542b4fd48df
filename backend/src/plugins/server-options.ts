/** Fastify's own options: its bounds, and a log that cannot contain a secret. */
import type { Server } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyHttpOptions } from 'fastify'
import { HOUR_MS, SECOND_MS } from '../lib/clock.ts'
import type { LogLevel } from '../config-values.ts'
import { answerClientError } from './client-error.ts'
import { answerError } from './errors.ts'
import { requestIds } from './request-id.ts'
import { RequestLog } from './request-log.ts'

/** Largest body in bytes. The largest of the protocol, with a long password, has a few thousand. */
const BODY_LIMIT_BYTES = 64 * 1024
/** Longest parameter in a path, in characters: room for a UUID and for an agent's name. */
const MAX_PARAM_LENGTH = 128
/**
 * How long a client may take to send one request, in milliseconds. Node.js has one value for all, so this is the one
 * for a large file. The connections' plugin bounds headers and other bodies; neither bounds an open socket.
 */
const REQUEST_TIMEOUT_MS = 2 * HOUR_MS
/** Between two checks for slow requests, in milliseconds: with Node's own 30 s a bound of 30 s could be 60. */
const LOOK_MS = 5 * SECOND_MS

/** Gets the log's lines instead of standard output. */
export interface LogStream {
  write(line: string): void
}

/** What {@link serverOptions} needs. */
export interface ServerSettings {
  readonly logLevel: LogLevel
  readonly logStream?: LogStream
  /** Addresses or networks whose `X-Forwarded-For` the server believes. */
  readonly trustedProxies: readonly string[]
}

/** The options for `fastify()`. */
export function serverOptions({ logLevel, logStream, trustedProxies }: ServerSettings): FastifyHttpOptions<Server> {
  const trustProxy = proxyAddr.compile([...trustedProxies])
  return {
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      connectionsCheckingInterval: LOOK_MS,
      // Any other upgrade is only an offer, such as curl's of HTTP/2: the request is answered without it (RFC 9110,
      // 7.8).
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    clientErrorHandler: answerClientError,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    trustProxy,
    genReqId: requestIds(trustProxy),
    logController: new RequestLog(),
    // Our own answer has the shape of every other error: see `stoppingPlugin`.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    logger: { ...loggerOptions(logLevel), ...(logStream ? { stream: logStream } : {}) },
  }
}

/**
 * The lines are our own (see {@link RequestLog}). The redaction is a second safeguard: none of our code logs these
 * fields.
 */
function loggerOptions(level: LogLevel) {
  const secrets = ['authorization', 'cookie', 'password', 'currentPassword', 'newPassword', 'token', 'accessToken']
  return {
    level,
    redact: {
      paths: ['req.headers', 'res.headers', 'headers', 'body', ...secrets.flatMap((name) => [name, `*.${name}`])],
      censor: '[redacted]',
    },
  }
}
