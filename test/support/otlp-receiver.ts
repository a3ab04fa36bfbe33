/** An OTLP collector on loopback: takes JSON or protobuf over HTTP, decodes it itself, and stores plain spans. */
import { gunzipSync } from 'node:zlib';
import { serve, withBody } from '../../soak/loopback.js';

export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2: an error. */
  readonly status: number;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Every body as received, for searches. */
  readonly raw: readonly Buffer[];
  readonly contentTypes: ReadonlySet<string>;
  /** From now on accepts connections and requests, and answers none. */
  hang(): void;
  close(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const raw: Buffer[] = [];
  const contentTypes = new Set<string>();
  let hangs = false;
  const { url, close } = await serve(
    withBody(({ url: path, headers }, response, sent) => {
      if (hangs) return;
      const body = headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      const type = headers['content-type'] ?? '';
      contentTypes.add(type);
      raw.push(body);
      if (path === '/v1/traces') spans.push(...(type === 'application/json' ? readJson(body) : readProto(body)));
      response.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '{}' : '');
    }),
  );
  return {
    spans,
    raw,
    contentTypes,
    url,
    hang: () => void (hangs = true),
    close,
  };
}

type Value = string | number | boolean;

interface JsonValue {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
}
interface JsonAttribute {
  readonly key: string;
  readonly value: JsonValue;
}
interface JsonSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly JsonAttribute[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

function readJson(body: Buffer): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body.toString()) as {
    readonly resourceSpans: readonly {
      readonly resource: { readonly attributes: readonly JsonAttribute[] };
      readonly scopeSpans: readonly { readonly spans: readonly JsonSpan[] }[];
    }[];
  };
  const valueOf = ({ stringValue, intValue, doubleValue, boolValue }: JsonValue): Value =>
    stringValue ?? doubleValue ?? boolValue ?? Number(intValue);
  const members = (attributes: readonly JsonAttribute[]): Record<string, Value> =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: String(members(resource.attributes)['service.name']),
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
        endMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
        attributes: members(span.attributes ?? []),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        status: span.status?.code ?? 0,
      })),
    ),
  );
}

/** Fields of a protobuf message by number; lengths as bytes, numbers as bigint. */
function fieldsOf(bytes: Buffer): Map<number, (Buffer | bigint)[]> {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    let value: Buffer | bigint;
    if (wire === 0) value = varint();
    else if (wire === 1) value = take(8);
    else if (wire === 5) value = take(4);
    else value = take(Number(varint()));
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const bytesAt = (fields: Map<number, (Buffer | bigint)[]>, number: number): Buffer[] =>
  (fields.get(number) ?? []).filter((value) => Buffer.isBuffer(value));

/** Field numbers of `opentelemetry/proto/trace/v1/trace.proto`. */
function readProto(body: Buffer): ReceivedSpan[] {
  const text = (fields: Map<number, (Buffer | bigint)[]>, number: number, as: BufferEncoding = 'utf8'): string =>
    bytesAt(fields, number)[0]?.toString(as) ?? '';
  const millis = (fields: Map<number, (Buffer | bigint)[]>, number: number): number =>
    Number((bytesAt(fields, number)[0]?.readBigUInt64LE() ?? 0n) / 1_000_000n);
  const members = (attributes: Buffer[]): Record<string, Value> =>
    Object.fromEntries(
      attributes.map((bytes) => {
        const fields = fieldsOf(bytes);
        return [text(fields, 1), valueOf(fieldsOf(bytesAt(fields, 2)[0] ?? Buffer.alloc(0)))];
      }),
    );
  return bytesAt(fieldsOf(body), 1)
    .map(fieldsOf)
    .flatMap((resourceSpans) => {
      const resource = fieldsOf(bytesAt(resourceSpans, 1)[0] ?? Buffer.alloc(0));
      const service = String(members(bytesAt(resource, 1))['service.name']);
      return bytesAt(resourceSpans, 2).flatMap((scope) =>
        bytesAt(fieldsOf(scope), 2)
          .map(fieldsOf)
          .map((span) => ({
            service,
            traceId: text(span, 1, 'hex'),
            spanId: text(span, 2, 'hex'),
            parentSpanId: text(span, 4, 'hex'),
            name: text(span, 5),
            startMs: millis(span, 7),
            endMs: millis(span, 8),
            attributes: members(bytesAt(span, 9)),
            links: bytesAt(span, 13)
              .map(fieldsOf)
              .map((link) => ({ traceId: text(link, 1, 'hex'), spanId: text(link, 2, 'hex') })),
            status: Number(fieldsOf(bytesAt(span, 15)[0] ?? Buffer.alloc(0)).get(3)?.[0] ?? 0),
          })),
      );
    });
}

function valueOf(value: Map<number, (Buffer | bigint)[]>): Value {
  const [string] = bytesAt(value, 1);
  const [double] = bytesAt(value, 4);
  if (string !== undefined) return string.toString();
  if (double !== undefined) return double.readDoubleLE();
  const flag = value.get(2)?.[0];
  return flag === undefined ? Number(value.get(3)?.[0] ?? 0) : flag === 1n;
}
