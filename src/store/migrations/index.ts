/** All migrations, in the order in which they are applied. Numbers that are missing were never released. */
import { ledgerMigration } from './0001-ledger.js';
import { inboxMigration } from './0002-inbox.js';
import { recordsMigration } from './0003-records.js';
import { bridgeRoleMigration } from './0004-bridge-role.js';
import { eventFeedMigration } from './0005-event-feed.js';
import { evidenceMigration } from './0007-evidence.js';
import { sharedBudgetMigration } from './0009-shared-budget.js';
import { accountHoldMigration } from './0010-account-hold.js';
import { collectionsMigration } from './0011-collections.js';
import { factsMigration } from './0012-facts.js';
import { lawyersMigration } from './0013-lawyers.js';
import { portfoliosMigration } from './0014-portfolios.js';
import { noticesMonitorsMigration } from './0015-notices-monitors.js';
import { abandonedSetsMigration } from './0016-abandoned-sets.js';
import { sealedListsMigration } from './0017-sealed-lists.js';
import { ledgerLifeMigration } from './0018-ledger-life.js';
import { amountSourceMigration } from './0019-amount-source.js';
import { fingerprintsMigration } from './0020-fingerprints.js';
import { evidenceStaysOpenMigration } from './0021-evidence-stays-open.js';
import { flowNamespaceMigration } from './0022-flow-namespace.js';
import { freeThrottleMigration } from './0022-free-throttle.js';
import { flatCostMigration } from './0023-flat-cost.js';
import { bodiesByMonthMigration } from './0024-bodies-by-month.js';
import { archiveMigration } from './0025-archive.js';
import { dutyMigration } from './0028-duty.js';
import { payloadKeysMigration } from './0029-payload-keys.js';
import { accessLogMigration } from './0030-access-log.js';
import { codecRoleMigration } from './0031-codec-role.js';
import { erasureMigration } from './0032-erasure.js';
import { retentionMigration } from './0033-retention.js';
import { sealedEverywhereMigration } from './0034-sealed-everywhere.js';
import { monthsOverMigration } from './0035-months-over.js';
import { noticeTextsMigration } from './0036-notice-texts.js';
import { oldestFirstMigration } from './0037-oldest-first.js';
import { wakeTurnsMigration } from './0038-wake-turns.js';
import { noticePlansMigration } from './0039-notice-plans.js';
import { noticesAskedForMigration } from './0040-notices-asked-for.js';
import { importEndsMigration } from './0041-import-ends.js';
import { pendingUntoldMigration } from './0042-pending-untold.js';
import { lastSeenMigration } from './0043-last-seen.js';
import { sharedNoticesMigration } from './0044-shared-notices.js';
import { bridgeKeysMigration } from './0045-bridge-keys.js';
import { clearReadingsMigration } from './0046-clear-readings.js';
import { vacuumSoonerMigration } from './0047-vacuum-sooner.js';
import { conflictsMigration } from './0048-conflicts.js';
import type { Migration } from './migration.js';

export const MIGRATIONS: readonly Migration[] = [
  ledgerMigration,
  inboxMigration,
  recordsMigration,
  bridgeRoleMigration,
  eventFeedMigration,
  evidenceMigration,
  sharedBudgetMigration,
  accountHoldMigration,
  collectionsMigration,
  factsMigration,
  lawyersMigration,
  portfoliosMigration,
  noticesMonitorsMigration,
  abandonedSetsMigration,
  sealedListsMigration,
  ledgerLifeMigration,
  amountSourceMigration,
  fingerprintsMigration,
  evidenceStaysOpenMigration,
  flowNamespaceMigration,
  freeThrottleMigration,
  flatCostMigration,
  bodiesByMonthMigration,
  archiveMigration,
  dutyMigration,
  payloadKeysMigration,
  accessLogMigration,
  codecRoleMigration,
  erasureMigration,
  retentionMigration,
  sealedEverywhereMigration,
  monthsOverMigration,
  noticeTextsMigration,
  oldestFirstMigration,
  wakeTurnsMigration,
  noticePlansMigration,
  noticesAskedForMigration,
  importEndsMigration,
  pendingUntoldMigration,
  lastSeenMigration,
  sharedNoticesMigration,
  bridgeKeysMigration,
  clearReadingsMigration,
  vacuumSoonerMigration,
  conflictsMigration,
];
