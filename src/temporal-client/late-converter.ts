/**
 * The data converter of a client that is made before it is known how the flows' payloads are written: a plugin learns from a
 * worker of the user's own which converter and codecs that one has.
 */
import type { DataConverter, LoadedDataConverter } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/data-converter-helpers.js';

export interface LateConverter {
  /** For one client. */
  readonly dataConverter: DataConverter;
  /** From now on that client reads and writes with this one. */
  use(converter: LoadedDataConverter): void;
}

export function createLateConverter(first: DataConverter): LateConverter {
  let now = loadDataConverter(first);
  const late = {
    get payloadConverter() {
      return now.payloadConverter;
    },
    get failureConverter() {
      return now.failureConverter;
    },
    get payloadCodecs() {
      return now.payloadCodecs;
    },
    get externalStorage() {
      return now.externalStorage;
    },
  };
  return {
    // A client takes one that is loaded as it is, which its type does not say.
    dataConverter: late as DataConverter,
    use: (converter) => {
      now = converter;
    },
  };
}
