/**
 * The data converter of a client that is created before the flows' own converter is known: a plugin learns only from the user's
 * worker which converter and codecs the worker has.
 */
import type { DataConverter, LoadedDataConverter } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/data-converter-helpers.js';

export interface LateConverter {
  /** For one client. */
  readonly dataConverter: DataConverter;
  /** From now on the client reads and writes with this converter. */
  use(converter: LoadedDataConverter): void;
}

export function createLateConverter(first: DataConverter): LateConverter {
  let current = loadDataConverter(first);
  const late = {
    get payloadConverter() {
      return current.payloadConverter;
    },
    get failureConverter() {
      return current.failureConverter;
    },
    get payloadCodecs() {
      return current.payloadCodecs;
    },
    get externalStorage() {
      return current.externalStorage;
    },
  };
  return {
    // A client accepts a loaded converter too, although its type does not say so.
    dataConverter: late as DataConverter,
    use: (converter) => {
      current = converter;
    },
  };
}
