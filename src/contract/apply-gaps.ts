/**
 * An operation with the names that configuration gives: gap-named parameters, the path of a gap, filters. Pure; applying it
 * twice changes nothing more.
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
  const named = Object.hasOwn(gaps.filters, operation.id) ? (gaps.filters[operation.id] ?? {}) : {};
  const own = operation.parameters.filter((parameter) => parameter.filter === undefined);
  const renamed = new Map(own.map((parameter) => [parameter.name, rename(parameter, gaps)]));
  const filters = Object.entries(named).map(([filter, name]): OperationParameter => ({
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

/** Name of the parameter that asks for a page by number; undefined where none is known. Give the operation with its gaps. */
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
