//! What every store must do, written against the traits alone: it runs on SQLite and on PostgreSQL.
//!
//! `conforms!` gets a way to open a store; each case begins with an empty one.

mod batches;
mod conditions;
mod documents;
mod filled;
mod harness;
mod learning;
mod memories;
mod outcomes;
mod transfer;
mod upkeep;
mod vectors;

use batches::{a_batch_is_all_or_nothing, a_snapshot_is_of_one_moment, readers_in_threads_see_whole_batches};
use conditions::{attributes_change_and_go_with_their_items, conditions_admit_what_a_plain_reading_does};
use documents::{
    files_are_remembered, filters_admit_what_they_name, items_come_back_as_they_were_put, items_move_change_and_go,
    items_of_programs_are_listed_by_id_and_deleted, only_what_may_be_seen_is_admitted,
    what_follows_a_forgotten_item_keeps_its_other_attributes, what_is_forgotten_stays_away,
};
use learning::{
    capabilities_are_counted_by_their_uses, tasks_and_thresholds_are_settled_once, tools_are_kept_by_scope_and_key,
    traces_are_the_newest_alone,
};
use memories::{memories_are_listed_in_pages_and_by_view, memories_follow_their_events};
use outcomes::{
    batches_are_claimed_once, decisions_about_patterns_stay, outcomes_are_numbered_and_counted,
    outcomes_go_when_they_are_old_or_forgotten,
};
use transfer::{
    an_export_that_cannot_be_written_leaves_nothing_open, an_import_keeps_out_what_was_forgotten_and_counts_no_less,
    exports_come_back_the_same,
};
use upkeep::{
    a_clean_up_takes_what_nothing_uses, a_rebuild_leaves_what_is_whole, damaged_texts_and_vectors_go,
    tables_that_drifted_apart_are_found_and_made_again, values_that_cannot_be_mended_are_found,
    values_that_nobody_wrote_are_found_and_taken_away,
};
use vectors::{
    changes_since_a_generation_are_known, the_stamp_changes_with_what_a_search_depends_on, usage_is_counted_by_days,
    vectors_belong_to_texts_and_models, vectors_go_with_the_last_item_of_their_text, what_was_measured_comes_back,
    words_and_texts_are_those_of_active_items,
};

/// A test of each case, for a store that `$maker` makes.
macro_rules! conforms {
    ($name:ident, $maker:expr) => {
        conforms!($name, $maker, [
            items_come_back_as_they_were_put,
            items_move_change_and_go,
            files_are_remembered,
            filters_admit_what_they_name,
            conditions_admit_what_a_plain_reading_does,
            attributes_change_and_go_with_their_items,
            only_what_may_be_seen_is_admitted,
            items_of_programs_are_listed_by_id_and_deleted,
            words_and_texts_are_those_of_active_items,
            vectors_belong_to_texts_and_models,
            vectors_go_with_the_last_item_of_their_text,
            changes_since_a_generation_are_known,
            usage_is_counted_by_days,
            the_stamp_changes_with_what_a_search_depends_on,
            what_was_measured_comes_back,
            what_is_forgotten_stays_away,
            what_follows_a_forgotten_item_keeps_its_other_attributes,
            a_batch_is_all_or_nothing,
            a_snapshot_is_of_one_moment,
            readers_in_threads_see_whole_batches,
            outcomes_are_numbered_and_counted,
            outcomes_go_when_they_are_old_or_forgotten,
            decisions_about_patterns_stay,
            batches_are_claimed_once,
            memories_follow_their_events,
            memories_are_listed_in_pages_and_by_view,
            tools_are_kept_by_scope_and_key,
            tasks_and_thresholds_are_settled_once,
            capabilities_are_counted_by_their_uses,
            traces_are_the_newest_alone,
            exports_come_back_the_same,
            an_import_keeps_out_what_was_forgotten_and_counts_no_less,
            an_export_that_cannot_be_written_leaves_nothing_open,
            tables_that_drifted_apart_are_found_and_made_again,
            values_that_nobody_wrote_are_found_and_taken_away,
            values_that_cannot_be_mended_are_found,
            damaged_texts_and_vectors_go,
            a_rebuild_leaves_what_is_whole,
            a_clean_up_takes_what_nothing_uses,
        ]);
    };
    ($name:ident, $maker:expr, [$($case:ident),* $(,)?]) => {
        mod $name {
            $(
                #[test]
                fn $case() {
                    super::super::$case(&$maker);
                }
            )*
        }
    };
}

#[cfg(test)]
mod tests;
