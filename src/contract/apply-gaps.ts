/**
 * Puts the configured names into an operation: parameters and the path that a gap names, and filters. Pure and idempotent.
 */
import type { Gaps } from './gaps.js';
import type { Operation, OperationParameter } from './operation.js';
import { present } from './values/present.js';

/** The gaps that give names and places to parameters. */
export type NamingGaps = Pick<
  Gaps,
  'oabNumberParam' | 'oabStateParam' | 'termPageParam' | 'summaryPath' | 'updateMonitorOabIn' | 'filters'
>;

/** The operation with the names of `gaps` in place. */
export function applyGaps<Id extends string>(operation: Operation<Id>, gaps: NamingGaps): Operation<Id> {
  const filterNames = Object.hasOwn(gaps.filters, operation.id) ? (gaps.filters[operation.id] ?? {}) : {};
  const declared = operation.parameters.filter((parameter) => parameter.filter === undefined);
  const renamed = new Map(declared.map((parameter) => [parameter.name, rename(parameter, gaps)]));
  const filters = Object.entries(filterNames).map(([filter, name]): OperationParameter => ({
    name,
    in: 'query',
    kind: operation.filters.find((gap) => gap.name === filter)?.kind ?? 'text',
    required: false,
    filter,
  }));
  return {
    ...operation,
    path: operation.pathGap === undefined ? operation.path : gaps[operation.pathGap],
    parameters: [...renamed.values(), ...filters],
    ...present({ needsOneOf: operation.needsOneOf?.map((set) => set.map((name) => renamed.get(name)?.name ?? name)) }),
  };
}

/** Name of the parameter that asks for a page by number; undefined when none is known. Pass an operation with its gaps applied. */
export function pageParameterOf({ parameters }: Operation<string>): string | undefined {
  return parameters.find(({ name, gap, filter }) => gap === 'termPageParam' || filter === 'page' || name === 'page')
    ?.name;
}

function rename(parameter: OperationParameter, gaps: NamingGaps): OperationParameter {
  const { gap, placeGap, name, in: place } = parameter;
  return {
    ...parameter,
    name: gap === undefined ? name : gaps[gap],
    in: placeGap === undefined ? place : gaps[placeGap],
  };
}
