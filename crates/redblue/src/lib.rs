//! Data movement: how much no schedule avoids, schedules that come close, and the gap.
