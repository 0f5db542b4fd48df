/** Fastify's own options: its bounds, and a log that cannot contain a secret. */
import type { Server } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyHttpOptions } from 'fastify'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/time/clock.ts'
import type { LogLevel } from '../config-values.ts'
import { answerClientError } from './client-error.ts'
import { answerError } from './errors.ts'
import { requestIds } from './request-id.ts'
import { RequestLog } from './request-log.ts'

/** Largest body, in bytes. The largest body of the protocol, with a long password, has a few thousand bytes. */
const BODY_LIMIT_BYTES = 64 * 1024
/** Longest parameter in a path, in characters. UUIDs and names of agents fit. */
const MAX_PARAM_LENGTH = 128
/**
 * How long a client may take to send one request, in milliseconds. Node.js has one value for all requests, so it must
 * suffice for a large file. `connectionsPlugin` limits headers and other bodies. Neither limits open sockets.
 */
const REQUEST_TIMEOUT_MS = 2 * HOUR_MS
/**
 * Time between two checks for slow requests, in milliseconds. With Node's default of 30 s, a limit of 30 s may be 60.
 */
const LOOK_MS = 5 * SECOND_MS

/** Receives the log's lines instead of standard output. */
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

/**
 * Longest time of one step of the start, in milliseconds. Fastify gives up after ten seconds, which a busy machine or a
 * slow database may need.
 */
const START_MS = 2 * MINUTE_MS

/** The options for `fastify()`. */
export function serverOptions({ logLevel, logStream, trustedProxies }: ServerSettings): FastifyHttpOptions<Server> {
  const trustProxy = proxyAddr.compile([...trustedProxies])
  return {
    bodyLimit: BODY_LIMIT_BYTES,
    pluginTimeout: START_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      connectionsCheckingInterval: LOOK_MS,
      // Any other upgrade, such as curl's to HTTP/2, is only an offer. The server ignores it (RFC 9110, 7.8).
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    clientErrorHandler: answerClientError,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    trustProxy,
    genReqId: requestIds(trustProxy),
    logController: new RequestLog(),
    // `stoppingPlugin` answers in the shape of every other error.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    logger: { ...loggerOptions(logLevel), ...(logStream ? { stream: logStream } : {}) },
  }
}

/**
 * No code of the server logs these fields ({@link RequestLog} writes the lines). The redaction is a second safeguard.
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
