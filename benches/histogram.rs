//! Counting rows: time at 1 and 10 million rows of eight quasi columns, and bytes per distinct
//! cell.

mod small;
mod synthetic;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use small::million;
use tidegate::engine::histogram::{CellReading, Encoder, Histogram};

fn counting(c: &mut Criterion) {
    let columns = synthetic::columns();
    let encoder = Encoder::new(&columns, CellReading::Text);
    let mut group = c.benchmark_group("histogram");
    group.sample_size(10);
    for rows in [1, 10].map(|millions| millions * million() as usize) {
        let batches = synthetic::batches(rows, 1);
        let counted = Histogram::of(&encoder, 0, &batches).expect("rows that fit");
        println!(
            "{rows} rows: {} leaf tuples, {} cells, {:.1} bytes per cell",
            counted.tuples(),
            counted.cells(),
            counted.bytes() as f64 / counted.cells() as f64
        );
        group.throughput(Throughput::Elements(rows as u64));
        group.bench_with_input(BenchmarkId::new("build", rows), &batches, |b, batches| {
            b.iter(|| Histogram::of(&encoder, 0, batches).expect("rows that fit"));
        });
    }
    group.finish();
}

criterion_group!(benches, counting);
criterion_main!(benches);
