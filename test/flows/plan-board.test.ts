/** A plan of a search that begins again under its `once` counts only the windows that are still to be paid. */
import { planFlow, type FlowCostPlan } from '../../src/planning/index.js';
import { startSearchBoard } from '../../src/starters/index.js';
import { withFlows } from './with-flows.js';

const FILTERS = { searchElectoralBoard: { from: 'data_inicio', to: 'data_fim' } };

describe('the plan of a search of the board', () => {
  const flows = withFlows({
    namespace: 'plans-of-boards',
    settings: { prices: { searchElectoralBoard: '0.15' }, gaps: { filters: FILTERS } },
  });

  it('counts nothing for windows that the same once has paid for', async () => {
    const deps = { db: flows.database.db, config: flows.config, client: flows.client };
    const input = { from: '2026-03-02', to: '2026-03-15', maxPages: 2, once: 'board 1' };
    const plan = (): Promise<FlowCostPlan> => planFlow(deps, 'searchBoard', input);
    const search = async () => (await startSearchBoard(flows.deps, input)).result();
    expect((await plan()).cost).toEqual({ kind: 'at most', amount: '0.3' });
    expect((await search()).spent.known).toBe('0.3');

    const again = await plan();
    expect(again.cost).toEqual({ kind: 'exact', amount: '0' });
    expect(again.calls.map(({ state }) => state)).toEqual(['fresh', 'fresh']);
    expect((await search()).spent.known).toBe('0');
    const { once: _once, ...anew } = input;
    expect((await planFlow(deps, 'searchBoard', anew)).cost).toEqual({ kind: 'exact', amount: '0.3' });
  });
});
